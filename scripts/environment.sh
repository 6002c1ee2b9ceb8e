# shellcheck shell=bash
# Sourced by the other scripts, not run: makes the virtual environment that one of them works in.
#
# make_environment DIRECTORY EXTRAS
#   A virtual environment in DIRECTORY (inside the repository) with the project installed for editing and EXTRAS, a
#   comma-separated list. Made again from nothing when pyproject.toml, the interpreter or the list has changed;
#   else reused without a look at the network. Sets `environment_python` to its interpreter.
#   The interpreter is $PYTHON if that is set, else the first that fits. 3.11 to 3.13 come first: the embedded
#   engine has no build for later ones.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What a caller's shell adds to every interpreter has no place in an environment of our own.
unset PYTHONPATH PYTHONHOME

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# python_between COMMAND OLDEST NEWEST: whether COMMAND is a Python of these versions that can make environments.
python_between() {
    "$1" -c "import sys, ensurepip, venv; sys.exit(not ($2 <= sys.version_info[:2] <= $3))" >/dev/null 2>&1
}

find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        python_between "$PYTHON" '(3, 11)' '(3, 99)' ||
            fail "PYTHON=$PYTHON is no Python 3.11 or later with the modules venv and ensurepip"
        printf '%s\n' "$PYTHON"
        return
    fi
    for candidate in python3 python python3.13 python3.12 python3.11 /usr/bin/python3; do
        if python_between "$candidate" '(3, 11)' '(3, 13)'; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    for candidate in python3 python python3.14; do
        if python_between "$candidate" '(3, 11)' '(3, 99)'; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "found no Python 3.11 or later with the modules venv and ensurepip (on Debian and Ubuntu the package \
python3-venv); install one, or name it in the variable PYTHON"
}

make_environment() {
    local directory=$root/$1 extras=$2 python stamp
    python=$(find_python)
    stamp=$("$python" - "$root" "$extras" <<'PYTHON_CODE'
import hashlib, pathlib, sys
root, extras = sys.argv[1:]
facts = [sys.version, sys.executable, root, extras, pathlib.Path(root, "pyproject.toml").read_text(encoding="utf-8")]
print(hashlib.sha256("\0".join(facts).encode()).hexdigest())
PYTHON_CODE
    )
    environment_python=$directory/bin/python
    if [ "$(cat "$directory/made-from" 2>/dev/null)" = "$stamp" ]; then
        return
    fi
    printf 'Installing convotree[%s] into %s with %s\n' "$extras" "$directory" "$("$python" --version)" >&2
    rm -rf "$directory"
    "$python" -m venv "$directory"
    "$environment_python" -m pip install --quiet --disable-pip-version-check --editable "${root}[$extras]"
    # Written last: an environment that was interrupted half-way is made again.
    printf '%s\n' "$stamp" >"$directory/made-from"
}

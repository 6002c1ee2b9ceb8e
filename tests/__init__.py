"""The test suite; its folders mirror ``src/convotree``, beside folders for what spans several modules."""

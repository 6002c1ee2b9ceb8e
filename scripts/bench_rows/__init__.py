"""What the benchmark measures: one module for each group of rows."""

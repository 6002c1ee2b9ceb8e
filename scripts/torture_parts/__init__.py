"""What the store is put through: one module for each kind of trouble."""

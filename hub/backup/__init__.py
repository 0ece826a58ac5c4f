"""One file with all that a house is: packed while its hub runs, put in place whole or not at all."""

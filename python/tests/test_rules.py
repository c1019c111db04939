"""Rules of docs/language.md that are about launches; the kernels of tests/language quote the others."""

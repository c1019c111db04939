"""Only `gluon`, so that packages whose files name it can be imported."""

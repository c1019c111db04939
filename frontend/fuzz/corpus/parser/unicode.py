def été(日本): return “x”

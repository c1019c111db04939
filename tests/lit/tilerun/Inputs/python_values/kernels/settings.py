DEPTH = max(map(int, "35"))


class Limits:
    MOST = max(map(int, "27"))

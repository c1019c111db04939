class A[T: int](B, metaclass=C):
    x: int = 1
    def f[**P, *Ts](self, /) -> None: ...
    async def g(self): await self; return [x async for x in self]
type X[T] = list[T]
class R(NamedTuple):
    a: int

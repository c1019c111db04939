@triton.jit
def k():
    a = 'x' "y" r'\n' b'\x00' rb"\d"; b = """a
    b\N{BULLET}\u00e9\U0001F600\777\
""" '''c'''
    u'x'; B"y"; Rb'z'; "\x41\101\q"

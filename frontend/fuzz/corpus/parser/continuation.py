@triton.jit
def k(x):
    y = x + \
        1
    if x and \
       y: z = 1 \

    return \ 

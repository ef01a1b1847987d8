"""Functions of models inside other programs that differentiate: JAX and PyTorch."""

from supple.interop.jax_functions import jax_function
from supple.interop.torch_functions import torch_function

__all__ = ["jax_function", "torch_function"]

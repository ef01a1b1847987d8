"""What a user describes: bodies, joints, frames, forces, constraints."""

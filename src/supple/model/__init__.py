"""What a user describes: bodies, joints, frames, forces; and the frozen model."""

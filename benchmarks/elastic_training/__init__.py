"""What changes of membership cost, side by side: a session, torchrun as it comes, torchrun tuned."""

"""What changes of membership cost, side by side: a session, torchft, torchrun tuned and torchrun as
it comes."""

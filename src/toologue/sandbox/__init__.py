"""Programs that somebody else wrote, run where they can do nothing but call the Apis of one world."""

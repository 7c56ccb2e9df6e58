"""What agents say, turned into one verdict; the clock is an argument."""

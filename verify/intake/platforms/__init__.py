"""How learning platforms name the files of a download: one file a platform."""

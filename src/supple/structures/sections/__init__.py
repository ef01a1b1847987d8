"""Cross sections: constants and points where stress is recovered."""

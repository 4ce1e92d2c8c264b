"""What methods are composed of: constants, schedules, copies, filters, codes."""

"""Building blocks of methods: constants, schedules, copies, filters, codes."""

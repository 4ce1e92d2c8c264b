"""Server optimisers over local steps, where they are more than an average's successor."""

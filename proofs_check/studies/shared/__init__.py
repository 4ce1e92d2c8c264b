"""What several studies share: settings, ladders of graphs, searches."""

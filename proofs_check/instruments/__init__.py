"""How anything is measured: statistics, exact laws, rates, evidence, studies."""

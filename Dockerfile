# rateproof for clusters: docker build -t rateproof . ; docs/install.md says how it is run.
FROM python:3.12-slim

# torch's build: the CPU's here; .../whl/cu128 and the like for GPUs.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

WORKDIR /opt/rateproof
COPY constraints.txt pyproject.toml README.md LICENSE rateproof.py ./
RUN pip install --no-cache-dir --index-url ${TORCH_INDEX} -c constraints.txt torch
COPY theory ./theory
COPY algorithms ./algorithms
COPY proofs_check ./proofs_check
COPY experiments ./experiments
RUN pip install --no-cache-dir -c constraints.txt ".[optimal]"

ENV OMP_NUM_THREADS=1 NUMBA_CACHE_DIR=/tmp/numba
WORKDIR /work
ENTRYPOINT ["rateproof"]

# The daemon, and what its local nodes need to train. Build: docker build -t elasticd .
# PyPI's torch brings CUDA; for a smaller image, give an index of CPU builds as --build-arg PIP_EXTRA_INDEX_URL=...
FROM python:3.11-slim-bookworm

ARG PIP_EXTRA_INDEX_URL=
ENV PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
WORKDIR /opt/elasticd
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY migrations migrations
COPY elastic elastic
COPY api api
RUN pip install -c constraints.txt '.[train]'

RUN useradd --create-home --uid 10001 elasticd && install -d -o elasticd /var/lib/elasticd
USER elasticd
ENV ELASTICD_DATA_DIR=/var/lib/elasticd ELASTICD_HOST=0.0.0.0
VOLUME /var/lib/elasticd
EXPOSE 8470
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8470/healthz', timeout=2)"]
CMD ["elasticd", "serve"]

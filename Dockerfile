# elasticd with what local nodes and rendezvous stores need; the target `lab` adds the local EC2. See docs/how-to/deploy.md.
#   docker build -t elasticd .
#   docker build -t elasticd:lab --target lab .
# PyPI's torch brings CUDA. For an image several times smaller, give an index of CPU builds:
#   --build-arg PIP_EXTRA_INDEX_URL=...
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# Read by pip where they are given. This stage's history is not the daemon's.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_TRUSTED_HOST
COPY deploy/certificates /tmp/certificates
RUN python3 -m venv /opt/elasticd \
    && find /etc/ssl/certs/ca-certificates.crt /tmp/certificates -name '*.crt' -exec cat '{}' + >/tmp/trusted.pem
ENV PATH=/opt/elasticd/bin:$PATH PIP_CERT=/tmp/trusted.pem PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
# What elasticd needs comes before elasticd itself: a change of the code does not fetch torch again.
COPY constraints.txt pyproject.toml deploy/requirements.py ./
RUN python requirements.py train postgres >requirements.txt \
    && pip install --quiet --no-compile -c constraints.txt -r requirements.txt \
    && (python -m compileall -q -j 0 /opt/elasticd/lib >/dev/null || true)
COPY README.md LICENSE ./
COPY migrations migrations
COPY elastic elastic
COPY elastic_lab elastic_lab
COPY api api
RUN pip install --quiet --no-deps .

FROM ${PYTHON_IMAGE} AS daemon
RUN useradd --create-home --uid 10001 elasticd \
    && install -d -m 700 -o elasticd -g elasticd /var/lib/elasticd \
    && install -d -o elasticd -g elasticd /srv/elasticd /srv/metrics
COPY --from=build /opt/elasticd /opt/elasticd
ENV PATH=/opt/elasticd/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 \
    ELASTICD_DATA_DIR=/var/lib/elasticd ELASTICD_HOST=0.0.0.0 ELASTICD_NODE_HOST=127.0.0.1
USER elasticd
WORKDIR /home/elasticd
VOLUME /var/lib/elasticd
EXPOSE 8470 8471
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python3", "-c", "import json, ssl, urllib.request; \
    url = json.load(open('/var/lib/elasticd/daemon.json'))['url']; \
    trust = ssl.create_default_context(cafile='/var/lib/elasticd/certificate.pem'); \
    urllib.request.urlopen(url + '/healthz', timeout=2, context=trust)"]
CMD ["elasticd", "serve"]

FROM daemon AS lab
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_TRUSTED_HOST
USER root
COPY --from=build /tmp/trusted.pem /tmp/trusted.pem
COPY constraints.txt pyproject.toml deploy/requirements.py /tmp/
RUN cd /tmp && python requirements.py lab >requirements.txt \
    && PIP_CERT=/tmp/trusted.pem pip install --quiet --no-cache-dir -c constraints.txt -r requirements.txt
COPY examples/lab /opt/elasticd/share/lab
USER elasticd
EXPOSE 8469
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8469/_lab/state', timeout=2)"]
CMD ["elasticd", "lab", "--scenario", "/opt/elasticd/share/lab/quiet.yaml", "--port", "8469"]

# The last stage is what a build without --target gives.
FROM daemon

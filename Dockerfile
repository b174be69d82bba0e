# The image of the API: no build tools, no root. Run it with a read-only root file system and a
# tmpfs on /tmp. BASE must have python3 (3.11 or newer) and its venv module.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
COPY requirements.txt .
# A temporary environment's pip installs into the final environment, which has no pip.
RUN python3 -m venv tools \
    && python3 -m venv --without-pip /opt/scoundrel \
    && tools/bin/pip --python /opt/scoundrel/bin/python install \
        --no-cache-dir --no-compile --only-binary :all: --require-hashes -r requirements.txt

WORKDIR /srv/scoundrel
COPY . .
RUN /opt/scoundrel/bin/python -m compileall -q /opt/scoundrel/lib . \
    && chmod -R go+rX,go-w .

FROM ${BASE}
# Remove the base's tools for installing packages.
RUN rm -rf /usr/local/bin/pip* /usr/local/bin/wheel /usr/local/lib/python3.*/ensurepip \
    /usr/local/lib/python3.*/site-packages/* /usr/lib/python3.*/ensurepip /usr/share/python-wheels
COPY --from=build /opt/scoundrel /opt/scoundrel
COPY --from=build /srv/scoundrel /srv/scoundrel
WORKDIR /srv/scoundrel
ENV PATH=/opt/scoundrel/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FLASK_APP=api \
    SCOUNDREL_HOST=0.0.0.0 \
    SCOUNDREL_PORT=8000 \
    SCOUNDREL_LOG=json
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ['SCOUNDREL_PORT']}/livez\", timeout=2)"]
CMD ["gunicorn", "-c", "api/server/gunicorn.conf.py"]

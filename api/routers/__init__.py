"""The routes, one module per noun."""

from starlette.convertors import StringConvertor, register_url_convertor


class _Name(StringConvertor):
    """A name in a path: `/v1/jobs/a:stop` is no job `a:stop`, but what stops the job `a`."""

    regex = "[^/:]+"


register_url_convertor("name", _Name())

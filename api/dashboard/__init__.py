"""The dashboard: pages rendered on the server, and updated by the event stream."""

from api.dashboard.routes import mount_static, router
from api.dashboard.signing_in import router as login_router
from api.dashboard.submitting import FORM_BYTES

__all__ = ["FORM_BYTES", "login_router", "mount_static", "router"]

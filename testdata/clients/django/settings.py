"""The settings of a project that keeps what it has in the server at PORT, as USER with PASSWORD, through the DRIVER pymysql
or MySQLdb."""
import os

if os.environ["DRIVER"] == "pymysql":
    import pymysql

    pymysql.version_info = (1, 4, 6, "final", 0)  # what Django asks of mysqlclient
    pymysql.install_as_MySQLdb()

SECRET_KEY = "for a test"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["django.contrib." + app for app in (
    "admin", "auth", "contenttypes", "sessions", "messages", "sites", "redirects", "flatpages")] + ["shop"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
        "django.template.context_processors.request",
    ]},
}]
DATABASES = {"default": {
    "ENGINE": "django.db.backends.mysql",
    "NAME": "site",
    "HOST": "127.0.0.1",
    "PORT": os.environ["PORT"],
    "USER": os.environ["USER"],
    "PASSWORD": os.environ["PASSWORD"],
}}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cached"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
USE_TZ = True
TIME_ZONE = "UTC"
ROOT_URLCONF = "urls"
SITE_ID = 1
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

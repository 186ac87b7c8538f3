# Installs an app's requirements.txt into its virtual environment, which is created if missing. Without that file,
# creates nothing. Argument: folder of the environment.
set -u
if [ ! -f requirements.txt ]; then
  echo 'The folder has no requirements.txt, so no packages were installed.'
  exit 0
fi
[ -x "$1/bin/pip" ] || python3 -m venv "$1" || exit 1
exec "$1/bin/python" -m pip install --disable-pip-version-check --no-input -r requirements.txt

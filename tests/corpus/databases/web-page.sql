
<!DOCTYPE html>
<html lang="en"><head><title>Sign in</title></head><body>Session expired</body></html>

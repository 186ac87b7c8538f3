/**
 * Headers of every response of the console, the terminal gateway and the metrics port. The vault service and the
 * mail service set other headers.
 */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // Other sites must not receive the URL of a page, which may contain the secret of a link.
  'referrer-policy': 'same-origin',
}

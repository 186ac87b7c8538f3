/**
 * Headers of every response of the console, the terminal gateway and the metrics port, even for assets and
 * errors. The vault and mail services set their own.
 */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // A URL may contain the secret of a link, which other sites must not receive.
  'referrer-policy': 'same-origin',
}

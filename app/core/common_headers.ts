/**
 * Headers of every response of the console, the terminal gateway and the metrics port. The vault and mail
 * services set their own.
 */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // A URL may contain the secret of a link. Other sites must not receive it.
  'referrer-policy': 'same-origin',
}

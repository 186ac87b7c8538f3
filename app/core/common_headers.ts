/**
 * Every response of the console, the terminal gateway and the metrics port has these, even assets
 * and errors. The vault and mail services set their own.
 */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // URLs may contain the secret of a link. Other sites must not receive them.
  'referrer-policy': 'same-origin',
}

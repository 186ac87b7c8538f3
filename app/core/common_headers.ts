/** Headers of every response on every port, including assets and errors. */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // URLs may contain the secret of a link. Other sites must not receive them.
  'referrer-policy': 'same-origin',
}

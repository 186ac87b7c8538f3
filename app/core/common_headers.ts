/** What every answer of every port carries, assets and refusals too. */
export const commonResponseHeaders = {
  'x-content-type-options': 'nosniff',
  // Addresses may carry a link's secret; nobody else is told them.
  'referrer-policy': 'same-origin',
}

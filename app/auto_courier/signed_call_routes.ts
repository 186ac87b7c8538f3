/** Routes of requests that Auto Courier signs. They have no session. */
export const SIGNED_CALL_ROUTES = {
  bill: '/autocourier/bill',
  payment: '/autocourier/payment',
}

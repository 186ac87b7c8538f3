export const SIGNED_CALL_ROUTES = {
  bill: '/autocourier/bill',
  payment: '/autocourier/payment',
}

/** An event informs Auto Courier that staff decided about a payment of its bill. */
export const courierEventStates = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
} as const
export type CourierEventState = keyof typeof courierEventStates

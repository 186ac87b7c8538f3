/** Delivery states of the events that inform Auto Courier of decisions about its bills. */
export const courierEventStates = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
} as const
export type CourierEventState = keyof typeof courierEventStates

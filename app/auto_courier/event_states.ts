/** States of the delivery of a decision to Auto Courier. */
export const courierEventStates = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
} as const
export type CourierEventState = keyof typeof courierEventStates

export type {
  CourierBillListPage,
  CourierBillPage,
  CourierBillRow,
  CourierEventRow,
  CourierEventsPage,
} from '#auto_courier/transformers/page_props'

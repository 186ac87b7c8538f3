/** Time zone of business days. Pages also show times in it (`packages/ui/date_text`). */
export const BUSINESS_TIME_ZONE = 'Asia/Dhaka'

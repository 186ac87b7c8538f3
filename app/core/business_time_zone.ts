/** The zone in which the business counts days; pages show times in it too (`packages/ui/date_text`). */
export const BUSINESS_TIME_ZONE = 'Asia/Dhaka'

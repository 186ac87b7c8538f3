import { type DocumentLanguage, formatNumber } from '#billing/documents/localized_format'
import { DEFAULT_REGIONAL_SETTINGS, regionalSettings } from '#core/settings/regional_settings'

const english = {
  invoice: 'Invoice',
  receipt: 'Receipt',
  credit_note: 'Credit note',
  number: 'Number',
  bill: 'Bill',
  issued: 'Issued',
  day: 'Billing date',
  due: 'Due',
  status: 'Status',
  open: 'Open',
  paid_whole: 'Paid',
  withdrawn: 'Withdrawn',
  account: 'Account id',
  seller: 'Seller',
  buyer: 'Buyer',
  bin: 'BIN',
  service: 'Service',
  kind: 'Type',
  period: 'Period',
  dollars: 'Dollars',
  taka: 'Taka',
  total: 'Total',
  rate: '{currency} for one dollar',
  rate_today: '{currency} for one dollar (today’s rate; fixed when you pay)',
  vat: 'VAT included',
  paid: 'Paid',
  credited: 'Credit notes',
  written_off: 'Written off',
  left: 'Left to pay',
  payable: 'Total payable{fee}',
  transaction: 'Transaction ID',
  sender: 'Account number',
  received: 'Approved',
  sent: 'Sent',
  sent_all: 'Total sent{fee}',
  fee: ', {percent}% included',
  pays: 'Paid on this bill',
  reason: 'Reason',
  original: 'Corrects invoice',
  credit: 'Credited',
  month: 'month',
  year: 'year',
}

export type DocumentLabels = typeof english

const bengali: DocumentLabels = {
  invoice: 'চালানপত্র',
  receipt: 'রসিদ',
  credit_note: 'ক্রেডিট নোট',
  number: 'নম্বর',
  bill: 'বিল',
  issued: 'ইস্যুর সময়',
  day: 'বিলের তারিখ',
  due: 'পরিশোধের শেষ দিন',
  status: 'অবস্থা',
  open: 'বকেয়া',
  paid_whole: 'পরিশোধিত',
  withdrawn: 'প্রত্যাহৃত',
  account: 'অ্যাকাউন্ট আইডি',
  seller: 'বিক্রেতা',
  buyer: 'ক্রেতা',
  bin: 'বিআইএন',
  service: 'সেবা',
  kind: 'ধরন',
  period: 'মেয়াদ',
  dollars: 'ডলার',
  taka: 'টাকা',
  total: 'মোট',
  rate: 'এক ডলারে {currency}',
  rate_today: 'এক ডলারে {currency} (আজকের দর; পরিশোধের দিন স্থির হয়)',
  vat: 'অন্তর্ভুক্ত মূসক',
  paid: 'পরিশোধিত',
  credited: 'ক্রেডিট নোট',
  written_off: 'মওকুফ',
  left: 'বাকি',
  payable: 'মোট প্রদেয়{fee}',
  transaction: 'লেনদেন আইডি',
  sender: 'অ্যাকাউন্ট নম্বর',
  received: 'অনুমোদিত',
  sent: 'পাঠানো হয়েছে',
  sent_all: 'মোট পাঠানো{fee}',
  fee: ', {percent}% সহ',
  pays: 'বিলের অংশ',
  reason: 'কারণ',
  original: 'যে চালানপত্র সংশোধন করে',
  credit: 'ক্রেডিট',
  month: 'মাস',
  year: 'বছর',
}

const labelsByLanguage: Record<DocumentLanguage, DocumentLabels> = { en: english, bn: bengali }

/**
 * Names of resources and people are not translated.
 * @param feePercent the bill's fee: `1.75`; `0` for none
 */
export function documentLabels(language: DocumentLanguage, feePercent: string): DocumentLabels {
  const labels = labelsByLanguage[language]
  const { currency: code } = regionalSettings()
  const currency = code === DEFAULT_REGIONAL_SETTINGS.currency ? labels.taka : code
  const percent = formatNumber(feePercent, language)
  const fee = Number(feePercent) ? labels.fee.replace('{percent}', percent) : ''
  return {
    ...labels,
    taka: currency,
    rate: labels.rate.replace('{currency}', currency),
    rate_today: labels.rate_today.replace('{currency}', currency),
    payable: labels.payable.replace('{fee}', fee),
    sent_all: labels.sent_all.replace('{fee}', fee),
  }
}

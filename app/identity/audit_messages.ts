/** `{}` stands for the name of the resource. */
export const auditMessages = {
  'person.register': 'Signed up',
  'person.sign_in': 'Signed in',
  'person.sign_out': 'Signed out',
  'person.end_session': 'Signed out a device',
  'person.sign_out_everywhere': 'Signed out everywhere',
  'person.update': 'Changed the profile of {}',
  'person.change_email': 'Changed the email to {}',
  'person.change_password': 'Changed the password of {}',
  'person.choose_password': 'Chose a password for {}',
  'staff.first_administrator': 'Set up the first administrator, {}',
  'staff.invite': 'Invited {} to the staff',
  'staff.invite_again': 'Invited {} to the staff again',
  'staff.update': 'Changed staff member {}',
  'staff.disable': 'Disabled staff member {}',
  'staff.enable': 'Enabled staff member {}',
}

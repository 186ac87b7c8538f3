-- nothing to see
/* here */

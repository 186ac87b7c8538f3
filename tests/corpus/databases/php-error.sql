<br />
<b>Fatal error</b>:  Allowed memory size exhausted in <b>/srv/export.php</b>

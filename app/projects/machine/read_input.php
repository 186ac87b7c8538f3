<?php
// Reads the JSON input of the other PHP programs in this folder from standard input.
$in = json_decode( stream_get_contents( STDIN ), true );
$_SERVER += array( 'HTTP_HOST' => 'localhost', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/' );

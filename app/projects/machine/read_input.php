<?php
// Reads the input of the PHP programs beside this file: JSON on standard input.
$in = json_decode( stream_get_contents( STDIN ), true );
$_SERVER += array( 'HTTP_HOST' => 'localhost', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/' );

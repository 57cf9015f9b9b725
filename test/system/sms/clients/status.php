<?php

// A client of text messages, made from the public rule of signing alone.
// usage: status.php URL APP KEY CERTIFICATE MOBILE MOBILE MOBILE
// Records a batch, reports on two of its messages, asks both ways, and prints what it got as JSON.

[, $url, $app, $key, $certificate] = $argv;
$mobiles = array_slice($argv, 5);

function sign(array $fields): string
{
    global $key;
    ksort($fields, SORT_STRING | SORT_FLAG_CASE);
    $text = '';
    foreach ($fields as $name => $value) {
        $text .= $name . '=' . $value . '&';
    }
    return hash('sha256', $text . $key);
}

function now(): string
{
    return sprintf('%d', microtime(true) * 1000);
}

// Parameters travel in the query of a GET, or of a POST with a body of its own; else in a form.
function ask(string $method, string $path, array $fields, ?string $body = null): array
{
    global $url, $app, $certificate;
    $signed = $body === null ? $fields : $fields + ['body' => $body];
    $encoded = http_build_query($fields + ['signature' => sign($signed)]);
    [$version, $call] = explode('/', $path, 2);
    $target = "$url/api/$version/$app/$call";
    $http = ['method' => $method];
    if ($method === 'GET' || $body !== null) {
        $target .= '?' . $encoded;
    }
    if ($method === 'POST') {
        $type = $body === null ? 'application/x-www-form-urlencoded' : 'application/json';
        $http += ['header' => "Content-Type: $type", 'content' => $body ?? $encoded];
    }
    $context = stream_context_create(['http' => $http, 'ssl' => ['cafile' => $certificate]]);
    $answer = file_get_contents($target, false, $context);
    if ($answer === false) {
        exit(1);
    }
    return json_decode($answer, true);
}

function report(string $rrid, string $mobile, string $status, string $code): array
{
    return [
        'status' => $status,
        'deliveryStatus' => $code,
        'mobile' => $mobile,
        'rrid' => $rrid,
        'receiveTime' => '2017-04-20 16:09:05',
    ];
}

$fields = ['mobiles' => json_encode($mobiles), 'note' => '小王 & 小李', 'timestamp' => now()];
$recorded = ask('POST', 'v1/batch/record', $fields);
$rrid = $recorded['data']['rrid'];
$reports = [report($rrid, $mobiles[1], 'Failure', 'MY:1109'), report($rrid, $mobiles[0], 'Success', 'DELIVRD')];
echo json_encode([
    'recorded' => $recorded,
    'reported' => ask('POST', 'v1/report', ['timestamp' => now()], json_encode(['type' => 1, 'data' => $reports])),
    'batch' => ask('GET', 'v1/status', ['rrid' => $rrid]),
    'batchSent' => ask('POST', 'v1/send', ['rrid' => $rrid]),
    'news' => ask('GET', 'v2/status', ['timestamp' => now()]),
    'newsSent' => ask('POST', 'v2/send', ['timestamp' => now()]),
]);

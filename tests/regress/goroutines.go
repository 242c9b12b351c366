// Goroutines: each has a stack of its own, whatever thread of the kernel runs it.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// 50 goroutines compute fib(12) and send it over a channel: worker is called 50 times, fib 465 times
// in each, and fib is never called by anything but worker and fib.
package main

const workers = 50

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func worker(results chan int) {
	results <- fib(12)
}

func main() {
	results := make(chan int)
	for i := 0; i < workers; i++ {
		go worker(results)
	}
	total := 0
	for i := 0; i < workers; i++ {
		total += <-results
	}
	println(total)
}
